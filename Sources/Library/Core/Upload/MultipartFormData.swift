public import FoundationEssentials
internal import TapelineBase

/// A body in `multipart/form-data` (RFC 7578): fields and files of a form, in order.
///
/// Files and streams are read when the body is encoded, in small pieces, not when they are added. If an append fails, its error
/// is kept, and encoding throws it.
///
/// It may be passed on and filled from any thread. An upload takes the parts that it has by then.
public final class MultipartFormData: Sendable {
  /// Bodies longer than this are encoded to a temporary file rather than in memory.
  public static let encodingMemoryThreshold: UInt64 = 10_000_000

  /// The boundary that separates the parts.
  public let boundary: String
  private let content: Protected<Content>

  private struct Content: Sendable {
    var parts: [MultipartPart] = []
    var failure: TapelineError?
  }

  /// - Parameter boundary: at most 70 of the characters that RFC 2046 5.1.1 allows; it must not occur in a part. Random if left
  ///   out.
  public convenience init(boundary: String? = nil) {
    let boundary = boundary ?? "tapeline.boundary.\(TemporaryFile.randomName())"
    precondition(MultipartBoundary.isValid(boundary), "a boundary has 1 to 70 of the characters of RFC 2046 5.1.1")
    self.init(boundary: boundary, content: Content())
  }

  private init(boundary: String, content: Content) {
    self.boundary = boundary
    self.content = Protected(content)
  }

  /// A form with the same parts, to which nobody else adds.
  var copy: MultipartFormData { MultipartFormData(boundary: boundary, content: content.wrappedValue) }

  var parts: [MultipartPart] { content.read { $0.parts } }

  /// The first append that failed.
  var failure: TapelineError? { content.read { $0.failure } }

  /// The value of the request's `Content-Type`.
  public var contentType: String {
    "multipart/form-data; boundary=" + (boundary.isToken ? boundary : "\"\(boundary)\"")
  }

  /// Bytes of all contents, without boundaries and headers.
  public var contentLength: UInt64 {
    parts.reduce(0) { $0 + $1.length }
  }

  /// Bytes of the whole encoded body.
  public var encodedLength: UInt64 {
    let parts = parts
    return parts.reduce(UInt64(closing.count)) { $0 + UInt64($1.header.count) + $1.length }
      + UInt64(delimiter.count * parts.count) - (parts.isEmpty ? 0 : 2)
  }

  // MARK: Adding

  /// Adds bytes in memory: a field, or with `fileName` a file.
  ///
  /// - Parameters:
  ///   - data: the bytes of the body.
  ///   - name: the name of the field.
  ///   - fileName: the name of the file.
  ///   - mimeType: its media type.
  public func append(_ data: Data, withName name: String, fileName: String? = nil, mimeType: String? = nil) {
    add(
      MultipartPart(
        headers: Self.headers(name: name, fileName: fileName, mimeType: mimeType), content: .data(Array(data)),
        length: UInt64(data.count)))
  }

  /// Adds a file under its own name, with the media type of its extension.
  public func append(_ fileURL: URL, withName name: String) {
    let fileName = fileURL.lastPathComponent
    guard !fileName.isEmpty, fileName != "/" else { return fail(.bodyPartFilenameInvalid(in: fileURL)) }
    append(fileURL, withName: name, fileName: fileName, mimeType: MediaTypes.mediaType(ofExtension: fileURL.pathExtension))
  }

  /// Adds a file.
  ///
  /// - Parameters:
  ///   - fileURL: the file.
  ///   - name: the name of the field.
  ///   - fileName: the name of the file.
  ///   - mimeType: its media type.
  public func append(_ fileURL: URL, withName name: String, fileName: String, mimeType: String) {
    guard let path = fileURL.filePath else { return fail(.bodyPartURLInvalid(url: fileURL)) }
    do throws(FileError) {
      let status = try FileCalls.status(of: path)
      guard !status.isDirectory else { return fail(.bodyPartFileIsDirectory(at: fileURL)) }
      add(
        MultipartPart(
          headers: Self.headers(name: name, fileName: fileName, mimeType: mimeType),
          content: .stream(.file(path, length: status.size)), length: status.size))
    } catch {
      fail(
        error.isMissingFile
          ? .bodyPartFileNotReachable(at: fileURL) : .bodyPartFileNotReachableWithError(atURL: fileURL, error: error))
    }
  }

  /// Adds the contents of a stream, which must be exactly `length` bytes.
  ///
  /// - Parameters:
  ///   - stream: called with each piece, and with the end; if it throws, the request ends.
  ///   - length: its exact length in bytes.
  ///   - name: the name of the field.
  ///   - fileName: the name of the file.
  ///   - mimeType: its media type.
  public func append(
    _ stream: UploadStream, withLength length: UInt64, name: String, fileName: String, mimeType: String
  ) {
    append(stream, withLength: length, headers: Self.headers(name: name, fileName: fileName, mimeType: mimeType))
  }

  /// Adds the contents of a stream, which must be exactly `length` bytes, with the caller's own headers.
  ///
  /// - Parameters:
  ///   - stream: called with each piece, and with the end; if it throws, the request ends.
  ///   - length: its exact length in bytes.
  ///   - headers: the fields; the session adds its own where the request has none of that name.
  public func append(_ stream: UploadStream, withLength length: UInt64, headers: HTTPHeaders) {
    add(
      MultipartPart(
        headers: headers, content: .stream(UploadStream(length: length, open: stream.open)), length: length))
  }

  private func add(_ part: MultipartPart) {
    content.write { $0.parts.append(part) }
  }

  private func fail(_ reason: TapelineError.MultipartEncodingFailureReason) {
    content.write { content in
      if content.failure == nil { content.failure = .multipartEncodingFailed(reason: reason) }
    }
  }

  private static func headers(name: String, fileName: String?, mimeType: String?) -> HTTPHeaders {
    var disposition = "form-data; name=\"\(FormName.escaped(name, normalizesLineEnds: true))\""
    if let fileName { disposition += "; filename=\"\(FormName.escaped(fileName, normalizesLineEnds: false))\"" }
    var headers: HTTPHeaders = ["Content-Disposition": disposition]
    if let mimeType { headers.append(name: "Content-Type", value: mimeType) }
    return headers
  }

  // MARK: Delimiters (RFC 2046 5.1.1)

  /// Before each part; the body begins without the line end.
  var delimiter: [UInt8] { Array("\r\n--\(boundary)\r\n".utf8) }

  /// After the last part.
  var closing: [UInt8] { Array((parts.isEmpty ? "--\(boundary)--\r\n" : "\r\n--\(boundary)--\r\n").utf8) }
}

/// One part of a multipart body.
struct MultipartPart: Sendable {
  enum Content: Sendable {
    case data([UInt8])
    /// A stream with a declared length.
    case stream(UploadStream)
  }

  /// The header lines and the empty line after them.
  let header: [UInt8]
  let content: Content
  let length: UInt64

  init(headers: HTTPHeaders, content: Content, length: UInt64) {
    header = Array((headers.map { "\($0.name): \($0.value)\r\n" }.joined() + "\r\n").utf8)
    self.content = content
    self.length = length
  }
}

/// The rules for the boundary between the parts of a multipart body (RFC 2046 5.1.1).
enum MultipartBoundary {
  private static let characters = ByteSet.alphanumeric.union("'()+_,-./:=? ")

  static func isValid(_ boundary: String) -> Bool {
    (1...70).contains(boundary.utf8.count) && !boundary.hasSuffix(" ") && boundary.utf8.allSatisfy(characters.contains)
  }
}

/// Names of fields and files in a `Content-Disposition`, escaped as browsers do (HTML, "multipart/form-data encoding
/// algorithm"). RFC 7578 4.2 leaves this open, and servers expect it.
enum FormName {
  /// - Parameter normalizesLineEnds: whether CR and LF alone become CRLF first, as in names of fields but not of files.
  static func escaped(_ name: String, normalizesLineEnds: Bool) -> String {
    var escaped: [UInt8] = []
    escaped.reserveCapacity(name.utf8.count)
    var previousIsReturn = false
    for byte in name.utf8 {
      if previousIsReturn, normalizesLineEnds, byte != Byte.lineFeed { escaped += "%0A".utf8 }
      switch byte {
      case Byte.lineFeed:
        if normalizesLineEnds, !previousIsReturn { escaped += "%0D".utf8 }
        escaped += "%0A".utf8
      case Byte.carriageReturn: escaped += "%0D".utf8
      case Byte.quote: escaped += "%22".utf8
      default: escaped.append(byte)
      }
      previousIsReturn = byte == Byte.carriageReturn
    }
    if previousIsReturn, normalizesLineEnds { escaped += "%0A".utf8 }
    return String(decoding: escaped, as: UTF8.self)
  }
}
