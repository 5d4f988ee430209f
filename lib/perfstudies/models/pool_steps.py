"""What receivers, the controller and dispatchers do, step by step. See `thread_pool` for the model.

A step function is called when a running thread has ended its piece of work. It does what takes no time and gives the
thread its next piece, or blocks it. It returns whether that piece is empty and can be ended at once. Steps that only
need the thread to run (taking a request, passing a gate) are never ended at once: another thread may come first.
"""

from __future__ import annotations

from perfstudies.models.inlined import inlined
from perfstudies.models.machine import block, wake
from perfstudies.models.pool_state import (
    ADAPT,
    ASSIGN,
    CLEAN,
    CONTROL,
    DELAY,
    DISPATCHED,
    DISPATCHER_FREE,
    ENTER,
    FINISH,
    HANDED_OVER,
    IDLE,
    MARSHAL,
    PASS,
    PASSED,
    READ,
    RECEIVE,
    RECEIVED,
    RECEIVER_FREE,
    REPLIED,
    RESUME,
    SERVE,
    SERVED,
    SERVED_FROM,
    START,
    TAKE,
    World,
)


@inlined
def proceed(world: World, name: int) -> None:
    """Let a thread that has ended its piece of work go on until it needs time, has to be chosen, or blocks."""
    pool = world.pool[0]
    going = True
    while going:
        if name == pool.controller:
            going = control(world, name)
        elif name < pool.first_dispatcher:
            going = receive(world, name)
        else:
            going = dispatch(world, name)


@inlined
def arrive(world: World, request: int) -> None:
    """Put a request into its connection's buffer."""
    connection = world.connection[request]
    buffer = world.buffers[connection]
    world.behind[request] = -1
    if buffer.first < 0:
        buffer.first = request
    else:
        world.behind[buffer.last] = request
    buffer.last = request
    if world.machine.threads[connection].step == IDLE:
        rouse(world, connection, READ)


@inlined
def receive(world: World, name: int) -> bool:
    """Do the next step of a receiver; its name is its connection's."""
    thread, buffer, now_ms = world.machine.threads[name], world.buffers[name], world.machine.clock[0].now_ms
    if thread.step == READ:
        thread.request = buffer.first
        buffer.first = world.behind[thread.request]
        world.stamp_ms[thread.request, RECEIVED] = now_ms
        return begin(world, name, RECEIVE)
    if thread.step == RECEIVE:
        world.stamp_ms[thread.request, HANDED_OVER] = now_ms
        hand_over(world, thread.request)
        return begin(world, name, CLEAN)
    world.stamp_ms[thread.request, RECEIVER_FREE] = now_ms
    if buffer.first >= 0:
        thread.step = READ
    else:
        rest(world, name)
    return False


@inlined
def hand_over(world: World, request: int) -> None:
    """Give a received request to the controller or, without one, to the pool."""
    pool = world.pool[0]
    if pool.controller < 0:
        offer(world, request)
        return
    world.passing[pool.passing_tail] = request
    pool.passing_tail += 1
    if world.machine.threads[pool.controller].step == IDLE:
        rouse(world, pool.controller, PASS)


@inlined
def control(world: World, name: int) -> bool:
    """Do the next step of the controller, which stands between receivers and dispatchers."""
    pool, thread = world.pool[0], world.machine.threads[name]
    if thread.step == PASS:
        thread.request = world.passing[pool.passing_head]
        pool.passing_head += 1
        world.stamp_ms[thread.request, PASSED] = world.machine.clock[0].now_ms
        return begin(world, name, CONTROL)
    if pool.controller_waits and pool.idle == 0:
        thread.step = ASSIGN  # `rest` of a dispatcher wakes it
        block(world.machine, name)
        return False
    offer(world, thread.request)
    if pool.passing_head < pool.passing_tail:
        thread.step = PASS
    else:
        rest(world, name)
    return False


@inlined
def offer(world: World, request: int) -> None:
    """Queue a request for the pool and signal, or give it to an idle dispatcher directly."""
    pool = world.pool[0]
    if pool.direct and pool.idle > 0:
        name = next_idle(world)
        world.machine.threads[name].request = request
        rouse(world, name, TAKE)
        return
    world.queue[pool.queue_tail] = request
    pool.queue_tail += 1
    if pool.direct == 0:
        for _ in range(pool.idle if pool.signals_all else min(pool.idle, 1)):
            rouse(world, next_idle(world), TAKE)


@inlined
def dispatch(world: World, name: int) -> bool:
    """Do the next step of a dispatcher."""
    pool, thread, now_ms = world.pool[0], world.machine.threads[name], world.machine.clock[0].now_ms
    step = thread.step
    if step == TAKE:
        if thread.request < 0:
            if pool.queue_head == pool.queue_tail:  # another dispatcher was faster
                rest(world, name)
                return False
            thread.request = world.queue[pool.queue_head]
            pool.queue_head += 1
        world.stamp_ms[thread.request, DISPATCHED] = now_ms
        if enter(world, name, world.poa[world.servant[thread.request]]):
            return begin(world, name, ADAPT)
        thread.step = ENTER
        return False
    if step == ENTER:
        return begin(world, name, ADAPT)
    request = thread.request
    servant_gate = pool.poas + world.servant[request]
    if step == ADAPT and not enter(world, name, servant_gate):
        thread.step = START
        return False
    if step == ADAPT or step == START:
        world.stamp_ms[request, SERVED_FROM] = now_ms
        return begin(world, name, SERVE)
    if step == SERVE and world.piece_ms[request, DELAY] > 0:
        thread.step = DELAY  # `pool_loop` wakes it
        thread.wakes_at_ms = now_ms + world.piece_ms[request, DELAY]
        pool.sleepers += 1
        block(world.machine, name)
        return False
    if step == SERVE:
        return begin(world, name, RESUME)
    if step == RESUME:
        world.stamp_ms[request, SERVED] = now_ms
        leave(world, servant_gate)
        return begin(world, name, MARSHAL)
    if step == MARSHAL:
        world.stamp_ms[request, REPLIED] = now_ms
        leave(world, world.poa[world.servant[request]])
        return begin(world, name, FINISH)
    world.stamp_ms[request, DISPATCHER_FREE] = now_ms
    pool.present -= 1
    pool.ended += 1
    thread.request = -1
    if pool.queue_head == pool.queue_tail:
        rest(world, name)
        return False
    thread.step = TAKE
    if pool.direct:
        thread.request = world.queue[pool.queue_head]
        pool.queue_head += 1
    return False


@inlined
def begin(world: World, name: int, step: int) -> bool:
    """Give a thread its next piece of work; return whether it is empty."""
    thread = world.machine.threads[name]
    thread.step = step
    thread.left_ms = world.piece_ms[thread.request, step]
    return thread.left_ms == 0


@inlined
def rouse(world: World, name: int, step: int) -> None:
    """Wake a thread for a step that needs no time."""
    thread = world.machine.threads[name]
    thread.step = step
    thread.left_ms = 0.0
    wake(world.machine, name)


@inlined
def rest(world: World, name: int) -> None:
    """Block a thread that has nothing to do; an idle dispatcher lets a waiting controller go on."""
    pool, thread = world.pool[0], world.machine.threads[name]
    thread.step = IDLE
    thread.request = -1
    block(world.machine, name)
    if name >= pool.first_dispatcher:
        world.idle[(pool.idle_head + pool.idle) % world.idle.size] = name
        pool.idle += 1
        controller = pool.controller
        if controller >= 0:
            waiting = world.machine.threads[controller]
            if waiting.step == ASSIGN and waiting.place < 0:
                rouse(world, controller, ASSIGN)


@inlined
def next_idle(world: World) -> int:
    """Take the idle dispatcher that is to be woken next."""
    pool = world.pool[0]
    pool.idle -= 1
    if pool.newest_idle:
        return world.idle[(pool.idle_head + pool.idle) % world.idle.size]
    name = world.idle[pool.idle_head]
    pool.idle_head = (pool.idle_head + 1) % world.idle.size
    return name


@inlined
def enter(world: World, name: int, gate: int) -> bool:
    """Let a thread through a gate, or block it behind those that wait there; return whether it is through."""
    line, threads = world.gates[gate], world.machine.threads
    if line.free > 0:
        line.free -= 1
        return True
    threads[name].behind = -1
    if line.first < 0:
        line.first = name
    else:
        threads[line.last].behind = name
    line.last = name
    block(world.machine, name)
    return False


@inlined
def leave(world: World, gate: int) -> None:
    """Pass a place on to the thread that waits longest, or keep it free."""
    line = world.gates[gate]
    if line.first < 0:
        line.free += 1
        return
    name = line.first
    line.first = world.machine.threads[name].behind
    rouse(world, name, world.machine.threads[name].step)
