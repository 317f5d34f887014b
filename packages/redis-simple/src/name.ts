/** The backend's name, in URLs, events, errors and reports. */
export const NAME = 'redis-simple';
