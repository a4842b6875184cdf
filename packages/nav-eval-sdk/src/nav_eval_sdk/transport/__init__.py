"""The client's side of both wires, for the evaluator, the test client and the conformance check alike."""
