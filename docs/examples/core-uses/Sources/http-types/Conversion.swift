import FoundationEssentials
import HTTPTypes
import TapelineCore

extension HTTPTypes.HTTPRequest {
  init(_ request: URLRequest) throws {
    let url = try request.asURLRequest().url
    let path = (url?.path ?? "/") + (url?.query.map { "?\($0)" } ?? "")
    let authority = [url?.host, url?.port.map(String.init)].compactMap(\.self).joined(separator: ":")
    self.init(
      method: .init(request.method.rawValue) ?? .get, scheme: url?.scheme, authority: authority, path: path.isEmpty ? "/" : path,
      headerFields: HTTPFields(request.headers))
  }
}

extension TapelineCore.URLRequest {
  init(_ request: HTTPTypes.HTTPRequest) throws {
    let text = "\(request.scheme ?? "https")://\(request.authority ?? "")\(request.path ?? "/")"
    self.init(url: try text.asURL())
    method = HTTPMethod(rawValue: request.method.rawValue)
    headers = HTTPHeaders(request.headerFields)
  }
}

extension HTTPTypes.HTTPResponse {
  init(_ response: HTTPURLResponse) {
    self.init(status: .init(code: response.statusCode), headerFields: HTTPFields(response.headers))
  }
}

extension HTTPFields {
  /// In their order, with duplicates; a name that is no token is left out.
  init(_ headers: HTTPHeaders) {
    self.init(headers.compactMap { header in HTTPField.Name(header.name).map { HTTPField(name: $0, value: header.value) } })
  }
}

extension HTTPHeaders {
  /// In their order, with duplicates, as they are spelled.
  init(_ fields: HTTPFields) {
    self.init()
    for field in fields { append(name: field.name.rawName, value: field.value) }
  }
}
