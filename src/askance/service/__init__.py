"""The live service: items come in, questions go out, and the model learns from every answer."""
