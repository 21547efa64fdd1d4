"""The resources of the API. Each file has the JSON shapes and the operations of one resource."""
