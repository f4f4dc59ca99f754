"""The web pages of the service: templates, and modules that call the API from the browser.

Pages contain no logic of their own: they use the same API as other clients.
"""
