"""The description of the HTTP API by OpenAPI: made of the registry, served by a route."""
