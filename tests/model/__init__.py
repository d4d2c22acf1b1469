"""A scripted model on 127.0.0.1 that speaks the dialects of four real providers, for real agents in our tests."""
