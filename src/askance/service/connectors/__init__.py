"""What connects the service with other programs: webhooks and Redis Streams."""
