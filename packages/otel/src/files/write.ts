import { writeFileSync } from 'node:fs';
import { ALERT_RULES } from './alerts.ts';
import { grafanaDashboard } from './dashboard.ts';

/** Before the package is packed. */
const dashboard = `${JSON.stringify(grafanaDashboard(), null, 2)}\n`;
writeFileSync(new URL('../grafana.json', import.meta.url), dashboard);
writeFileSync(new URL('../alerts.yml', import.meta.url), ALERT_RULES);
