"""What machines ask about this installation: /health for load balancers, /metrics for Prometheus. See docs/api.md."""
