"""The Scrapy side of the benchmark.

    python crawl.py <seed-url> <host,host,…>
"""

import json
import sys

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor

SEED_URL, HOSTS = sys.argv[1], sys.argv[2].split(",")
CONCURRENCY = 64


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
    }
)
process.crawl(BenchSpider)
process.start()
print(json.dumps({"pages": BenchSpider.pages}))
