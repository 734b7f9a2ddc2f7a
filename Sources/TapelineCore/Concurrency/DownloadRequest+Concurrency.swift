public import FoundationEssentials
internal import TapelineTransport

extension DownloadRequest {
  /// Where the file is, to be awaited.
  ///
  /// - Parameter automaticallyCancelling: whether the end of an awaiting task by cancellation cancels the download.
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

  /// What the file's JSON decodes to, to be awaited.
  public func serializingDecodable<Value: Decodable & Sendable>(
    _ type: Value.Type = Value.self, decoder: any DataDecoder = JSONDecoder(), automaticallyCancelling: Bool = true
  ) -> DownloadTask<Value> {
    serializingDownload(
      using: DecodableResponseSerializer<Value>(decoder: decoder), automaticallyCancelling: automaticallyCancelling)
  }

  /// What `serializer` makes of the file, to be awaited.
  public func serializingDownload<Serializer: DownloadResponseSerializerProtocol>(
    using serializer: Serializer, automaticallyCancelling: Bool = true
  ) -> DownloadTask<Serializer.SerializedObject> {
    DownloadTask(self, cancels: automaticallyCancelling) { handler in
      respond(on: .inPlace, by: serializer, completionHandler: handler)
    }
  }

  /// What `serializer` makes of the file, to be awaited. This form is for the serializers that have names, such as `.string`.
  public func serializingDownload<Serializer: ResponseSerializer>(
    using serializer: Serializer, automaticallyCancelling: Bool = true
  ) -> DownloadTask<Serializer.SerializedObject> {
    DownloadTask(self, cancels: automaticallyCancelling) { handler in
      respond(on: .inPlace, by: serializer, completionHandler: handler)
    }
  }
}
