"""Tables and lists: their cells, their counts, and the choices that they give."""
