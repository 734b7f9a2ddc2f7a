public import FoundationEssentials
public import TapelineHTTP

/// The former name of sessions.
public typealias SessionManager = Session

/// The default session.
public let AF = Session.default

/// `Session.default.request(…)`.
public func request(
  _ convertible: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
  encoding: any ParameterEncoding = URLEncoding.default, headers: HTTPHeaders? = nil,
  interceptor: (any RequestInterceptor)? = nil
) -> DataRequest {
  AF.request(
    convertible, method: method, parameters: parameters, encoding: encoding, headers: headers, interceptor: interceptor)
}

/// `Session.default.request(…)`.
public func request(
  _ convertible: any URLRequestConvertible, interceptor: (any RequestInterceptor)? = nil
) -> DataRequest {
  AF.request(convertible, interceptor: interceptor)
}

/// `Session.default.download(…)`.
@preconcurrency
public func download(
  _ convertible: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
  encoding: any ParameterEncoding = URLEncoding.default, headers: HTTPHeaders? = nil,
  interceptor: (any RequestInterceptor)? = nil, to destination: DownloadRequest.Destination? = nil
) -> DownloadRequest {
  AF.download(
    convertible, method: method, parameters: parameters, encoding: encoding, headers: headers, interceptor: interceptor,
    to: destination)
}

/// `Session.default.download(…)`.
@preconcurrency
public func download(
  resumingWith data: Data, interceptor: (any RequestInterceptor)? = nil, to destination: DownloadRequest.Destination? = nil
) -> DownloadRequest {
  AF.download(resumingWith: data, interceptor: interceptor, to: destination)
}

/// `Session.default.upload(…)`.
public func upload(
  _ data: Data, to convertible: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
  interceptor: (any RequestInterceptor)? = nil
) -> UploadRequest {
  AF.upload(data, to: convertible, method: method, headers: headers, interceptor: interceptor)
}

/// `Session.default.upload(…)`.
public func upload(
  _ fileURL: URL, to convertible: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
  interceptor: (any RequestInterceptor)? = nil
) -> UploadRequest {
  AF.upload(fileURL, to: convertible, method: method, headers: headers, interceptor: interceptor)
}

/// `Session.default.streamRequest(…)`.
public func streamRequest(
  _ convertible: any URLConvertible, method: HTTPMethod = .get, headers: HTTPHeaders? = nil,
  interceptor: (any RequestInterceptor)? = nil
) -> DataStreamRequest {
  AF.streamRequest(convertible, method: method, headers: headers, interceptor: interceptor)
}
