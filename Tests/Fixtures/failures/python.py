"""Asks for each URL by one of Python's clients, and prints a line for each: its name, and the status or the exception's class."""
import asyncio
import sys


def by_requests(url):
    import requests

    return requests.get(url, timeout=20).status_code


def by_httpx(url):
    import httpx

    return httpx.get(url, timeout=20).status_code


async def by_aiohttp(url):
    import aiohttp

    async with aiohttp.ClientSession(trust_env=True, timeout=aiohttp.ClientTimeout(20)) as session:
        async with session.get(url) as answer:
            await answer.read()
            return answer.status


CLIENTS = {"requests": by_requests, "httpx": by_httpx, "aiohttp": lambda url: asyncio.run(by_aiohttp(url))}
client = CLIENTS[sys.argv[1]]
for pair in sys.argv[2:]:
    name, url = pair.split("=", 1)
    try:
        print(name, client(url))
    except Exception as error:
        print(name, type(error).__name__)
