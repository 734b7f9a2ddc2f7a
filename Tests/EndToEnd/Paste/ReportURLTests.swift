import TapelineHAR
import TapelineInspect
import TapelineTestSupport
import Testing

extension EndToEnd {
  @Suite("URLs in the report")
  struct ReportURLTests {
    private static let page = repositoryRoot + "/Sources/Reading/Inspect/Report/Page"

    @Test("The page finds the host and the port that the filters find (RFC 3986 3.2)")
    func authorities() throws {
      let corpus = try CorpusURL.all()
      let directory = try TemporaryDirectory()
      let urls = HARValue.array(corpus.map { .string($0.text) })
      let path = try directory.write(urls.json, to: "urls.json")
      let program = """
        const fs = require('fs');
        const source = fs.readFileSync('\(Self.page)/capture.js', 'utf8');
        const names = 'const byId = () => null; const described = { phases: [] };';
        const { serverIn } = new Function(`${names}\\n${source}\\nreturn { serverIn };`)();
        const read = (url) => [serverIn(url).host, serverIn(url).port ?? -1];
        process.stdout.write(JSON.stringify(JSON.parse(fs.readFileSync('\(path)', 'utf8')).map(read)));
        """
      let node = try TestProcess("node", ["-e", program])
      #expect(try node.wait().isSuccess, "\(node.errorText)")
      let places = try #require(try HARValue(json: node.standardOutput.span).array)
      #expect(places.count == corpus.count)
      for (url, place) in zip(corpus, places) {
        let found = RequestURL(url.text)
        #expect(place.array?[0].string == found?.host ?? "", "\(url.text)")
        #expect(place.array?[1].integer == found?.port ?? -1, "\(url.text)")
      }
    }
  }
}
