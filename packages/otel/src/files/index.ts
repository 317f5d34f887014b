/** What Grafana and Prometheus load. The package has both as files, too. */
export { ALERT_RULES } from './alerts.ts';
export { grafanaDashboard } from './dashboard.ts';
