"""The scaffold that turns an agent class into an inference service."""
