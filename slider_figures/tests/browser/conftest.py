from .offline import browser, offline_context, serve

__all__ = ["browser", "offline_context", "serve"]
