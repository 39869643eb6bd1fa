"""Compiled operations of training."""
