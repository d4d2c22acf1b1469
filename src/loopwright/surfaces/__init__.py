"""The command line, the HTTP server and MCP."""
