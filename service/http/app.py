"""The aiohttp application: routes, middlewares, and the services that the handlers use."""

from __future__ import annotations

from aiohttp import web
from aiohttp.typedefs import Middleware

from preprocessor.intent import TOOLSET_NAMES
from service.http.docs import OPENAPI
from service.http.door import DOOR, Door
from service.http.json_body import BODY_DEPTH, VALIDATION_CONTEXT
from service.http.middleware import init_app
from service.http.middleware.authentication import require_keys
from service.http.middleware.cross_origin import answer_preflights
from service.http.middleware.draining import DRAIN, Drain
from service.http.middleware.rate_limits import limit_rates
from service.http.middleware.url_limits import limit_urls
from service.http.openapi import describe_service
from service.http.routes import ROUTES
from service.services import SERVICES, Services
from service.settings import Settings


def create_app(services: Services, door: Door) -> web.Application:
    """The application; it owns nothing, so whoever opened the services closes them."""
    app = web.Application(client_max_size=services.settings.body_limit)
    app[SERVICES] = services
    app[OPENAPI] = describe_service(ROUTES)
    app[DRAIN] = Drain()
    app[DOOR] = door
    app[BODY_DEPTH] = services.settings.body_depth
    app[VALIDATION_CONTEXT] = {TOOLSET_NAMES: services.apps.toolsets.names}
    for route in ROUTES:
        app.router.add_route(route.method, route.path, route.handler)
        if route.method == "GET":
            app.router.add_route("HEAD", route.path, route.handler)
    return init_app(app, metrics=services.metrics, drain=app[DRAIN], guards=list_guards(services.settings, door))


def list_guards(settings: Settings, door: Door) -> list[Middleware]:
    """What a request passes on its way to its handler."""
    return [
        answer_preflights(settings.cors_origins),
        limit_urls(length=settings.url_limit, parameters=settings.query_parameters_max),
        require_keys(door, {(route.method, route.path): route.needs for route in ROUTES}),
        limit_rates(per_key=settings.requests_per_minute_per_key, per_tenant=settings.requests_per_minute_per_tenant),
    ]
