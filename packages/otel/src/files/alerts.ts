/** Alert rules of Prometheus. `docs/guides/telemetry.md` says what to do about each. */
export const ALERT_RULES: string = `# Alert rules for the metrics of @holdfast/otel. What to do about each: docs/guides/telemetry.md.
groups:
  - name: holdfast
    rules:
      - alert: HoldfastLeasesLost
        # A counter begins with its first loss, which increase() does not see.
        expr: |
          sum by (holdfast_backend, holdfast_reason)
            (increase(holdfast_hold_lost_total[10m]) > 0 or (holdfast_hold_lost_total unless holdfast_hold_lost_total offset 10m))
        labels: { severity: warning }
        annotations:
          summary: "{{ $value }} leases on {{ $labels.holdfast_backend }} were lost ({{ $labels.holdfast_reason }})"
      - alert: HoldfastLateWritesRefused
        expr: |
          sum(increase(holdfast_fence_refused_total[10m]) > 0 or (holdfast_fence_refused_total unless holdfast_fence_refused_total offset 10m))
        labels: { severity: warning }
        annotations:
          summary: "{{ $value }} writes of late holders were refused"
      - alert: HoldfastStoreUnavailable
        expr: |
          sum by (holdfast_backend) (rate(holdfast_acquire_duration_count{holdfast_outcome=~"unavailable|unknown"}[5m]))
            > 0.05 * sum by (holdfast_backend) (rate(holdfast_acquire_duration_count[5m]))
        for: 2m
        labels: { severity: critical }
        annotations:
          summary: "more than 5 % of the acquisitions on {{ $labels.holdfast_backend }} fail because of the store"
      - alert: HoldfastRenewalsLate
        expr: |
          sum by (holdfast_backend) (rate(holdfast_renewals_total{holdfast_late="true"}[10m]))
            > 0.01 * sum by (holdfast_backend) (rate(holdfast_renewals_total[10m]))
        for: 10m
        labels: { severity: warning }
        annotations:
          summary: "more than 1 % of the renewals on {{ $labels.holdfast_backend }} come after half of the lease"
      - alert: HoldfastBusy
        expr: |
          sum by (holdfast_backend) (rate(holdfast_acquire_duration_count{holdfast_outcome="busy"}[10m]))
            > 0.2 * sum by (holdfast_backend) (rate(holdfast_acquire_duration_count[10m]))
        for: 15m
        labels: { severity: info }
        annotations:
          summary: "more than a fifth of the acquisitions on {{ $labels.holdfast_backend }} end with a busy key"
      - alert: HoldfastDoubts
        expr: sum by (holdfast_backend, holdfast_operation) (increase(holdfast_doubts_total[10m])) > 5
        labels: { severity: warning }
        annotations:
          summary: "{{ $value }} requests to {{ $labels.holdfast_backend }} have an unknown outcome ({{ $labels.holdfast_operation }})"
`;
