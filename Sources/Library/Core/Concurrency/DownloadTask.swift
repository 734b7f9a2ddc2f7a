public import FoundationEssentials
internal import TapelineTransport

/// The value of a download, to be awaited. It behaves as `DataTask` does.
public struct DownloadTask<Value: Sendable>: Sendable {
  private let pending: PendingResponse<DownloadResponse<Value>>
  private let request: DownloadRequest

  /// - Parameter attach: gives the request a handler.
  init(
    _ request: DownloadRequest, cancels: Bool, attach: (@escaping @Sendable (DownloadResponse<Value>) -> Void) -> Void
  ) {
    self.request = request
    pending = PendingResponse(request, cancels: cancels, attach: attach)
  }

  /// The response, once the download has ended.
  public var response: DownloadResponse<Value> {
    get async { await pending.value }
  }

  /// The value or the error, once the download has ended.
  public var result: AFResult<Value> {
    get async { await response.result }
  }

  /// The value, once the download has ended.
  ///
  /// - Throws: the error of the download, of moving its file, or of the serializer.
  public var value: Value {
    get async throws(TapelineError) { try await result.get() }
  }

  /// Cancels the download. With `producingResumeData` the response has the data to continue it.
  public func cancel(producingResumeData: Bool = false) {
    request.cancel(producingResumeData: producingResumeData)
  }

  /// Starts the download, or goes on after `suspend()`.
  public func resume() {
    request.resume()
  }

  /// Stops reading until `resume()`.
  public func suspend() {
    request.suspend()
  }
}

extension DownloadRequest {
  /// The file's URL, to be awaited.
  ///
  /// - Parameter automaticallyCancelling: whether cancelling an awaiting task cancels the download.
  public func serializingDownloadedFileURL(automaticallyCancelling: Bool = true) -> DownloadTask<URL> {
    serializingDownload(using: URLResponseSerializer(), automaticallyCancelling: automaticallyCancelling)
  }

  /// The file's bytes, to be awaited.
  public func serializingData(automaticallyCancelling: Bool = true) -> DownloadTask<Data> {
    serializingDownload(using: DataResponseSerializer(), automaticallyCancelling: automaticallyCancelling)
  }

  /// The file as text, to be awaited.
  public func serializingString(
    encoding: TextEncoding? = nil, automaticallyCancelling: Bool = true
  ) -> DownloadTask<String> {
    serializingDownload(
      using: StringResponseSerializer(encoding: encoding), automaticallyCancelling: automaticallyCancelling)
  }

  /// The value that the file's JSON decodes to, to be awaited.
  ///
  /// - Parameters:
  ///   - type: the value's type.
  ///   - decoder: makes the value.
  ///   - automaticallyCancelling: whether cancelling an awaiting task cancels the request.
  public func serializingDecodable<Value: Decodable & Sendable>(
    _ type: Value.Type = Value.self, decoder: any DataDecoder = JSONDecoder(), automaticallyCancelling: Bool = true
  ) -> DownloadTask<Value> {
    serializingDownload(
      using: DecodableResponseSerializer<Value>(decoder: decoder), automaticallyCancelling: automaticallyCancelling)
  }

  /// The value that `serializer` makes of the file, to be awaited.
  public func serializingDownload<Serializer: DownloadResponseSerializerProtocol>(
    using serializer: Serializer, automaticallyCancelling: Bool = true
  ) -> DownloadTask<Serializer.SerializedObject> {
    DownloadTask(self, cancels: automaticallyCancelling) { handler in
      respond(on: .inPlace, by: serializer, completionHandler: handler)
    }
  }

  /// The value that `serializer` makes of the file, to be awaited. This form is for the serializers that have names, such as
  /// `.string`.
  public func serializingDownload<Serializer: ResponseSerializer>(
    using serializer: Serializer, automaticallyCancelling: Bool = true
  ) -> DownloadTask<Serializer.SerializedObject> {
    DownloadTask(self, cancels: automaticallyCancelling) { handler in
      respond(on: .inPlace, by: serializer, completionHandler: handler)
    }
  }
}
