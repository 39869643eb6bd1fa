"""The model directory, its parts, and the models that ship."""
