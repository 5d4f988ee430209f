"""Locust's FastHttpUser against an address; run by the Python of Locust's own environment.

Usage: locust_user.py ADDRESS MESSAGE_FILE USERS SECONDS; prints how many requests were answered.
"""

import sys
from pathlib import Path

import gevent
from locust import FastHttpUser, constant, task
from locust.env import Environment

ADDRESS, MESSAGE, USERS, SECONDS = sys.argv[1], Path(sys.argv[2]).read_bytes(), int(sys.argv[3]), float(sys.argv[4])
HEADERS = {"Content-Type": "text/xml; charset=utf-8", "SOAPAction": '"urn:echo"'}


class User(FastHttpUser):
    """Sends again as soon as it has its answer."""

    host = ADDRESS.rpartition("/services")[0]
    wait_time = constant(0)

    @task
    def echo(self):
        self.client.post(ADDRESS, data=MESSAGE, headers=HEADERS, name="echo")


environment = Environment(user_classes=[User])
runner = environment.create_local_runner()
runner.start(USERS, spawn_rate=USERS)
gevent.sleep(SECONDS)
runner.quit()
total = environment.stats.total
if total.num_failures:
    sys.exit(f"{total.num_failures} of {total.num_requests} requests failed")
print(total.num_requests)
