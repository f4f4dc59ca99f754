"""The live service: a stream comes in, people answer questions, the model learns from each answer."""
