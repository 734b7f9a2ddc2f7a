import TapelineTestSupport
import Testing

extension EndToEnd {
  /// What the commands that read logs take: compressed files and standard input, by every one of them; and what they refuse.
  @Suite struct InputForms {
    private static let fixture = repositoryRoot + "/Tests/Fixtures/har/session.har"

    private static func tapeline(_ arguments: [String], input: [UInt8] = []) throws -> TestProcess {
      let process = try TestProcess(TapelineProcess.binary, arguments, input: input)
      try process.wait(seconds: 60)
      return process
    }

    /// Each command that prints what it finds, or writes it where `-o` says.
    private static let readers = [
      ["list", "@"], ["list", "@", "--sort", "total:desc"], ["show", "@", "1-2"], ["show", "@", "--slowest"], ["stats", "@"],
      ["waterfall", "@"], ["critical", "@"], ["lint", "@"], ["assert", "@", "count() > 0"], ["convert", "@", "--to", "csv"],
      ["convert", "@", "--to", "har"], ["diff", "@", fixture], ["redact", "@", "-o", "#"], ["recover", "@", "-o", "#"],
      ["merge", "@", fixture, "-o", "#"], ["lint", "@", "--fix", "-o", "#"],
      ["import", "har", "@", "-o", "#"], ["import", "har", "@", "--no-redact", "--quiet"],
      ["report", "@", "--title", "t", "-o", "#"],
    ]

    private struct Answer: Equatable {
      let output: String
      let written: Int?
    }

    /// - Parameter file: in `directory`, and without it: a long path is shortened where it is shown.
    private static func answer(
      _ command: [String], reading file: String, in directory: TemporaryDirectory, input: [UInt8] = []
    ) throws -> Answer {
      let target = directory.path("out-\(UInt64.random(in: 0 ... .max)).har")
      let arguments = command.map { $0 == "@" ? file : $0 == "#" ? target : $0 }
      let process = try TestProcess("env", ["-C", directory.path, TapelineProcess.binary] + arguments, input: input)
      try process.wait(seconds: 60)
      #expect(process.exitStatus == .exited(0), "\(arguments): \(process.errorText)")
      let name = file == "-" ? "standard input" : file
      return Answer(
        output: process.outputText.replacing(name, with: "@").replacing(file, with: "@"),
        // Keys of redaction and names of merged files differ from run to run, but the size does not.
        written: fileExists(target) ? try readFile(target).count / 1_000 : nil)
    }

    @Test(arguments: readers) func everyReaderTakesEveryForm(command: [String]) throws {
      let directory = try TemporaryDirectory()
      let plain = try directory.write(readFile(Self.fixture), to: "a.har")
      for program in [["gzip", "-k"], ["zstd", "-q"]] {
        let status = try TestProcess(program[0], Array(program.dropFirst()) + [plain]).wait()
        try #require(status == .exited(0))
      }
      let expected = try Self.answer(command, reading: "a.har", in: directory)
      for suffix in [".gz", ".zst"] {
        #expect(try Self.answer(command, reading: "a.har" + suffix, in: directory) == expected, "\(suffix)")
      }
      for suffix in ["", ".gz"] {
        let input = try readFile(plain + suffix)
        let answer = try Self.answer(command, reading: "-", in: directory, input: input)
        #expect(answer.written == expected.written && answer.output.count == expected.output.count, "-\(suffix)")
      }
    }

    @Test func whatIsForeignIsSaidAndNothingElse() throws {
      let directory = try TemporaryDirectory()
      let foreign: [([UInt8], String)] = [
        ([], "an empty file"), ([0x89] + Array("PNG".utf8), "a PNG image"), (Array("<!doctype html>".utf8), "an HTML page"),
        (Array("{\"a\":1}".utf8), "a JSON document without a log"), ([0xD4, 0xC3, 0xB2, 0xA1], "a pcap capture"),
        (CodedText.gzip, "a gzip file of a text file"),
      ]
      for (bytes, name) in foreign {
        let path = try directory.write(bytes, to: "in.har")
        for command in [
          ["list", path], ["list", path, "--csv"], ["list", path, "--json"], ["list", path, "--sort", "total"],
          ["show", path, "1"],
          ["stats", path], ["waterfall", path], ["lint", path], ["report", path], ["convert", path, "--to", "csv"],
          ["assert", path, "count() == 0"], ["replay", path, "--", "true"], ["redact", path, "-o", directory.path("out")],
        ] {
          let process = try Self.tapeline(command)
          #expect(process.exitStatus == .exited(65), "\(command)")
          #expect(process.outputText.isEmpty, "\(command)")
          #expect(
            process.errorText.hasPrefix("tapeline: \(path): it is \(name), not a HAR; "), "\(command): \(process.errorText)")
          #expect(process.errorText.split(separator: "\n").count == 1, "\(process.errorText)")
        }
      }
      #expect(!fileExists(directory.path("out")))
    }

    @Test func ofACutOffFileWhatComesBeforeIsRead() throws {
      let directory = try TemporaryDirectory()
      // Stored blocks, so that much of it is whole.
      let large = Array(repeating: try readFile(Self.fixture), count: 1)[0]
      let plain = try directory.write(large, to: "a.har")
      let status = try TestProcess("gzip", ["-1", "-k", plain]).wait()
      try #require(status == .exited(0))
      let packed = try readFile(plain + ".gz")
      let cut = try directory.write(Array(packed.prefix(packed.count * 3 / 4)), to: "cut.har.gz")
      let whole = try Self.tapeline(["list", plain])
      let list = try Self.tapeline(["list", cut])
      #expect(list.exitStatus == .exited(65))
      #expect(list.errorText.contains("damaged compressed data, gzip: it ends in the middle"))
      #expect(!list.outputText.isEmpty && whole.outputText.hasPrefix(list.outputText))
      let recover = try Self.tapeline(["recover", cut])
      #expect(recover.exitStatus == .exited(0) && recover.errorText.contains("it ends in the middle"), "\(recover.errorText)")
      let recovered = try Self.tapeline(["list", directory.path("cut.recovered.har")])
      #expect(recovered.outputText == list.outputText)
      let inPlace = try Self.tapeline(["recover", cut, "--in-place", "--force"])
      #expect(inPlace.exitStatus == .exited(64) && inPlace.errorText.contains("it is compressed"))
      #expect(try readFile(cut).count == packed.count * 3 / 4)
    }

    @Test func aCaptureAnswersFromStandardInput() throws {
      let process = try Self.tapeline(["replay", "-", "-q", "--", "true"], input: try readFile(Self.fixture))
      #expect(process.exitStatus == .exited(0), "\(process.errorText)")
    }

    @Test func whatExistsIsReplacedOnlyByForce() throws {
      let directory = try TemporaryDirectory()
      let target = try directory.write("precious", to: "out.har")
      for command in [
        ["convert", Self.fixture, "--to", "har"], ["redact", Self.fixture], ["merge", Self.fixture, Self.fixture],
      ] {
        let refused = try Self.tapeline(command + ["-o", target])
        #expect(
          refused.exitStatus == .exited(73) && refused.errorText.contains("replace it with --force"), "\(refused.errorText)")
        #expect(try readText(target) == "precious")
        let replaced = try Self.tapeline(command + ["-o", target, "--force"])
        #expect(replaced.exitStatus == .exited(0), "\(replaced.errorText)")
        #expect(try readFile(target).count > 1_000)
        try directory.write("precious", to: "out.har")
      }
      let run = try Self.tapeline(["run", "-q", "--require", "0", "--no-intercept", "-o", target, "--force", "--", "true"])
      #expect(run.exitStatus == .exited(0), "\(run.errorText)")
      #expect(try readText(target).hasPrefix("{\"log\""))
    }

    @Test func aMistypedCommandIsRecognised() throws {
      let process = try Self.tapeline(["lsit", "a.har"])
      #expect(process.exitStatus == .exited(64))
      #expect(process.errorText == "tapeline: usage: Unknown command 'lsit'. Did you mean 'list'?; see tapeline --help\n")
    }
  }
}
