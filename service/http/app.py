"""The aiohttp application: routes, middlewares, and the services that the handlers use."""

from __future__ import annotations

from aiohttp import web

from service.http.docs import OPENAPI
from service.http.middleware import init_app
from service.http.middleware.draining import DRAIN, Drain
from service.http.openapi import describe_service
from service.http.routes import ROUTES
from service.services import SERVICES, Services


def create_app(services: Services) -> web.Application:
    """The application; it owns nothing, so whoever opened the services closes them."""
    app = web.Application(client_max_size=services.settings.body_limit)
    app[SERVICES] = services
    app[OPENAPI] = describe_service(ROUTES)
    app[DRAIN] = Drain()
    for route in ROUTES:
        app.router.add_route(route.method, route.path, route.handler)
        if route.method == "GET":
            app.router.add_route("HEAD", route.path, route.handler)
    return init_app(app, metrics=services.metrics, drain=app[DRAIN])
