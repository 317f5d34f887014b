import { measureSchedules, scheduleText } from './schedules.ts';

console.log(scheduleText(await measureSchedules()));
