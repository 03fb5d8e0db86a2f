"""The mechanisms behind Sliding Epsilon, the book on differential privacy that runs."""
