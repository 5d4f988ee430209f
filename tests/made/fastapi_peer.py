"""A service of orders by FastAPI, in a thread on loopback: it refuses what does not fit its models, and says in OpenAPI
what does.
"""

import asyncio
import threading
from contextlib import contextmanager
from datetime import datetime
from enum import StrEnum
from typing import Annotated
from uuid import UUID

import uvicorn
from fastapi import FastAPI, Header, HTTPException, Path, Query
from pydantic import BaseModel, Field


class State(StrEnum):
    NEW = "new"
    PAID = "paid"


class Line(BaseModel):
    article: Annotated[str, Field(pattern="^[A-Z]{2}[0-9]{3}$")]
    count: Annotated[int, Field(ge=1, le=100)]
    price: Annotated[float, Field(gt=0)] | None = None


class Order(BaseModel):
    reference: UUID
    ordered: datetime
    state: State = State.NEW
    lines: Annotated[list[Line], Field(min_length=1, max_length=5)]
    note: Annotated[str, Field(max_length=200)] | None = None


def application():
    """Return the application and the orders that it holds, by number."""
    app, orders = FastAPI(title="Orders"), {}

    @app.post("/orders", operation_id="createOrder", status_code=201)
    def create(order: Order, x_request: Annotated[UUID, Header()]) -> int:
        orders[len(orders) + 1] = order
        return len(orders)

    @app.get("/orders/{number}", operation_id="getOrder")
    def get(number: Annotated[int, Path(ge=1, le=3)], full: Annotated[bool, Query()]) -> Order:
        if number not in orders:
            raise HTTPException(404, "there is no such order")
        return orders[number]

    return app, orders


class _Server(uvicorn.Server):
    def __init__(self, config):
        super().__init__(config)
        self.listening = threading.Event()

    async def startup(self, sockets=None):
        await super().startup(sockets)
        self.listening.set()


@contextmanager
def running():
    """Yield its address and the orders that it holds."""
    app, orders = application()
    server = _Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="critical"))
    thread = threading.Thread(target=asyncio.run, args=(server.serve(),))
    thread.start()
    try:
        assert server.listening.wait(30), "the server did not start"
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}", orders
    finally:
        server.should_exit = True
        thread.join()
