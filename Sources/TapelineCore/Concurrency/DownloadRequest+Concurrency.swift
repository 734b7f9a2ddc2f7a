public import FoundationEssentials
internal import TapelineTransport

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
