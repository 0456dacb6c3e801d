/**
 * Lucene as an engine of the search benchmark. It speaks the protocol of ../serve.ts. The English analyzer keeps all
 * words, because phrases may have any words. One thread indexes, and the segments are merged by it.
 */
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.CharArraySet;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.index.Term;
import org.apache.lucene.queries.intervals.IntervalQuery;
import org.apache.lucene.queries.intervals.Intervals;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.PrefixQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopScoreDocCollectorManager;
import org.apache.lucene.store.FSDirectory;

public final class SearchBench {
  private static final int TOP = 10;
  private static final double BUFFER_MB = 64;
  private static final Analyzer ANALYZER = new EnglishAnalyzer(CharArraySet.EMPTY_SET);

  public static void main(String[] args) throws IOException {
    Path folder = Path.of(args[2]);
    if (args[0].equals("index")) index(Path.of(args[1]), folder);
    else serve(folder, args.length > 3);
  }

  private static void index(Path documents, Path folder) throws IOException {
    long wall = System.nanoTime();
    long cpu = cpuNanoseconds();
    IndexWriterConfig config = new IndexWriterConfig(ANALYZER);
    config.setRAMBufferSizeMB(BUFFER_MB);
    config.setMergeScheduler(new SerialMergeScheduler());
    try (BufferedReader lines = Files.newBufferedReader(documents);
        IndexWriter writer = new IndexWriter(FSDirectory.open(folder), config)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        Document document = new Document();
        document.add(new StoredField("url", fieldOf(line, "url")));
        document.add(new TextField("title", fieldOf(line, "title"), Field.Store.NO));
        document.add(new TextField("text", fieldOf(line, "text"), Field.Store.NO));
        writer.addDocument(document);
      }
      writer.commit();
    }
    long bytes = 0;
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : (Iterable<Path>) files::iterator) bytes += Files.size(file);
    }
    System.out.printf(
        "indexed {\"bytes\":%d,\"seconds\":%.3f,\"cpuSeconds\":%.3f,\"peakMb\":%.0f}%n",
        bytes, (System.nanoTime() - wall) / 1e9, (cpuNanoseconds() - cpu) / 1e9, peakMb());
  }

  /** A text of a line, in which each name occurs once before the last text. */
  private static String fieldOf(String line, String name) {
    StringBuilder text = new StringBuilder();
    for (int at = line.indexOf("\"" + name + "\":\"") + name.length() + 4; line.charAt(at) != '"'; at++) {
      char character = line.charAt(at);
      if (character != '\\') {
        text.append(character);
        continue;
      }
      char code = line.charAt(++at);
      if (code == 'u') {
        text.append((char) Integer.parseInt(line.substring(at + 1, at + 5), 16));
        at += 4;
      } else text.append("nrtbf".indexOf(code) >= 0 ? ' ' : code);
    }
    return text.toString();
  }

  /** {@code countsAll}: all matches are scored and counted. Otherwise Lucene leaves out what cannot be among the best. */
  private static void serve(Path folder, boolean countsAll) throws IOException {
    long before = System.nanoTime();
    IndexSearcher searcher = new IndexSearcher(DirectoryReader.open(FSDirectory.open(folder)));
    searcher.setQueryCache(null);
    System.out.printf("ready {\"openMs\":%.3f}%n", (System.nanoTime() - before) / 1e6);
    // The time of the process is counted in hundredths of a second. The threads that compile do not count.
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    int counted = countsAll ? Integer.MAX_VALUE : 1_000;
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String[] parts = line.split("\t");
      long wall = System.nanoTime();
      long cpu = threads.getCurrentThreadCpuTime();
      TopScoreDocCollectorManager best = new TopScoreDocCollectorManager(TOP, null, counted);
      int hits = searcher.search(queryOf(parts[0], parts[1].split(" ")), best).scoreDocs.length;
      long cpuTime = threads.getCurrentThreadCpuTime() - cpu;
      long wallTime = System.nanoTime() - wall;
      System.out.printf("%d\t%d\t%d%n", hits, wallTime / 1_000, cpuTime / 1_000);
    }
  }

  private static Query queryOf(String kind, String[] words) throws IOException {
    switch (kind) {
      case "and":
        return both(words, Occur.MUST);
      case "not":
        return new BooleanQuery.Builder().add(either(words[0]), Occur.MUST).add(either(words[1]), Occur.MUST_NOT).build();
      case "phrase":
      case "frequent phrase":
        return new BooleanQuery.Builder()
            .add(new PhraseQuery("title", terms(words)), Occur.SHOULD)
            .add(new PhraseQuery("text", terms(words)), Occur.SHOULD)
            .build();
      case "near":
        return new IntervalQuery(
            "text", Intervals.maxwidth(6, Intervals.unordered(Intervals.term(term(words[0])), Intervals.term(term(words[1])))));
      case "prefix":
        return new BooleanQuery.Builder()
            .add(new PrefixQuery(new Term("title", words[0])), Occur.SHOULD)
            .add(new PrefixQuery(new Term("text", words[0])), Occur.SHOULD)
            .build();
      case "intitle":
        return new TermQuery(new Term("title", term(words[0])));
      default:
        return both(words, Occur.SHOULD);
    }
  }

  private static Query both(String[] words, Occur occur) throws IOException {
    BooleanQuery.Builder all = new BooleanQuery.Builder();
    for (String word : words) all.add(either(word), occur);
    return all.build();
  }

  /** The word in the title or in the text. */
  private static Query either(String word) throws IOException {
    String term = term(word);
    return new BooleanQuery.Builder()
        .add(new TermQuery(new Term("title", term)), Occur.SHOULD)
        .add(new TermQuery(new Term("text", term)), Occur.SHOULD)
        .build();
  }

  private static String[] terms(String[] words) throws IOException {
    String[] terms = new String[words.length];
    for (int i = 0; i < words.length; i++) terms[i] = term(words[i]);
    return terms;
  }

  private static String term(String word) throws IOException {
    try (TokenStream stream = ANALYZER.tokenStream("text", word)) {
      CharTermAttribute term = stream.addAttribute(CharTermAttribute.class);
      stream.reset();
      return stream.incrementToken() ? term.toString() : word;
    }
  }

  /** The time of all threads, with those that compile and collect garbage. */
  private static long cpuNanoseconds() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
  }

  private static double peakMb() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("VmHWM:")) return Double.parseDouble(line.replaceAll("\\D+", "")) / 1024;
    }
    return 0;
  }
}
