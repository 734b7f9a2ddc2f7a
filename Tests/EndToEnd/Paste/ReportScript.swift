import TapelineTestSupport
import Testing

/// The scripts of the report's page that make text to be pasted, run by Node.
enum ReportScript {
  /// What `maker` gives for each entry of the log, as a list in JSON: texts, or `null`.
  static func values(of maker: String, for har: String) throws -> String {
    let page = "\(repositoryRoot)/Sources/Reading/Inspect/Report/Page"
    let program = """
      const fs = require('fs');
      const load = (name) => fs.readFileSync(`\(page)/${name}.js`, 'utf8');
      const scripts = ['hex', 'entry', 'curl', 'request-code'].map(load).join('\\n');
      const { \(maker) } = new Function(`${scripts}\\nreturn { \(maker) };`)();
      const log = JSON.parse(fs.readFileSync('\(har)', 'utf8')).log;
      const texts = log.entries.map((entry) => {
        const data = entry.request.postData;
        const body = data ? { text: data.text, isBase64: data._encoding === 'base64' } : null;
        return \(maker)({ entry, body: () => body });
      });
      process.stdout.write(JSON.stringify(texts));
      """
    let node = try TestProcess("node", ["-e", program])
    #expect(try node.wait().isSuccess, "\(node.errorText)")
    return node.outputText
  }
}
