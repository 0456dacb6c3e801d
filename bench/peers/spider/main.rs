//! The spider side of the benchmark.
//!
//!     spider-crawl <seed-url> <host|any>
use spider::tokio;
use spider::website::Website;

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if arguments.len() != 3 {
        eprintln!("usage: spider-crawl <seed-url> <host|any>");
        std::process::exit(2);
    }
    let mut website = Website::new(&arguments[1]);
    website
        .with_respect_robots_txt(true)
        .with_delay(0)
        .with_depth(0)
        .with_concurrency_limit(Some(64))
        .with_user_agent(Some("orbweaver-bench-spider"))
        .with_ignore_sitemap(true);
    if arguments[2] == "any" {
        website.with_external_domains(Some(std::iter::once(String::from("*"))));
    }
    website.crawl().await;
    println!("{{\"pages\":{}}}", website.get_size().await);
}
