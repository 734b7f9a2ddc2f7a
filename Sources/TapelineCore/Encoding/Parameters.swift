/// Parameters of a request by name: strings, numbers, Booleans, arrays and dictionaries of them.
public typealias Parameters = [String: any Sendable]
