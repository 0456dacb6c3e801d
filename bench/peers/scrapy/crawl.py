"""The Scrapy side of the benchmark.

    python crawl.py <seed-url> <host,host,…> [<cache-folder>]

With a folder it keeps every answer there and asks about those it has by their validators, fresh or not.
"""

import json
import sys

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor

SEED_URL, HOSTS = sys.argv[1], sys.argv[2].split(",")
CACHE_FOLDER = sys.argv[3] if len(sys.argv) > 3 else None
CONCURRENCY = 64
CACHE_SETTINGS = {
    "HTTPCACHE_ENABLED": True,
    "HTTPCACHE_POLICY": "scrapy.extensions.httpcache.RFC2616Policy",
    "HTTPCACHE_DIR": CACHE_FOLDER,
    # By itself it takes a page for fresh for a tenth of its age, and would not ask at all.
    "DEFAULT_REQUEST_HEADERS": {"Cache-Control": "max-age=0"},
}


class BenchSpider(scrapy.Spider):
    name = "bench"
    start_urls = [SEED_URL]
    allowed_domains = HOSTS
    pages = 0

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.links = LinkExtractor(tags=("a",))

    def parse(self, response):
        BenchSpider.pages += 1
        for link in self.links.extract_links(response):
            yield scrapy.Request(link.url, callback=self.parse)


process = CrawlerProcess(
    {
        "CONCURRENT_REQUESTS": CONCURRENCY,
        "CONCURRENT_REQUESTS_PER_DOMAIN": CONCURRENCY,
        "DOWNLOAD_DELAY": 0,
        "AUTOTHROTTLE_ENABLED": False,
        "ROBOTSTXT_OBEY": True,
        "LOG_LEVEL": "ERROR",
        "COOKIES_ENABLED": False,
        "RETRY_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "LOGSTATS_INTERVAL": 0,
        **(CACHE_SETTINGS if CACHE_FOLDER else {}),
    }
)
process.crawl(BenchSpider)
process.start()
print(json.dumps({"pages": BenchSpider.pages}))
