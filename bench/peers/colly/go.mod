module orbweaver-bench/colly

go 1.21

require github.com/gocolly/colly/v2 v2.3.0
