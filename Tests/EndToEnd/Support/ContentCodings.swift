import TapelineTestSupport
import Testing

/// Encoders that other people wrote.
enum ContentCodings {
  static let all = ["gzip", "x-gzip", "deflate", "raw deflate", "br", "zstd"]

  /// The value of `Content-Encoding` for one of `all`.
  static func name(of coding: String) -> String {
    coding == "raw deflate" ? "deflate" : coding
  }

  static func encode(_ bytes: [UInt8], _ coding: String) throws -> [UInt8] {
    let command =
      switch coding {
      case "gzip", "x-gzip": ["gzip", "-c"]
      case "br": ["brotli", "-c"]
      case "zstd": ["zstd", "-q", "-c"]
      case "deflate": python("zlib.compress(data)")
      case "raw deflate": python("(lambda c: c.compress(data) + c.flush())(zlib.compressobj(wbits=-15))")
      default: throw TestSupportError.program("no encoder for \(coding)")
      }
    let process = try TestProcess(command[0], Array(command.dropFirst()), input: bytes)
    try #require(try process.wait().isSuccess, "\(command): \(process.errorText)")
    return process.standardOutput
  }

  private static func python(_ expression: String) -> [String] {
    ["python3", "-c", "import sys, zlib; data = sys.stdin.buffer.read(); sys.stdout.buffer.write(\(expression))"]
  }
}
