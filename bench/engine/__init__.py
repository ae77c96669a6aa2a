"""The same work on Greenrun's engine, LangGraph, pydantic-graph and plain asyncio."""
