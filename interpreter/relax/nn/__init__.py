"""Rules of the ops of neural networks."""
