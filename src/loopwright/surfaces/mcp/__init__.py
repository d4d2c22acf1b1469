"""Surfaces over the Model Context Protocol."""
