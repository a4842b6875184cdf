"""The wire contract, kept once for both ends: messages, tensors, gRPC descriptors and the OpenAPI document."""
