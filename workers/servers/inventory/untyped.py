"""Parts of a document whose shape nobody promised."""


def mapping(value: object) -> dict[str, object]:
    return {str(key): one for key, one in value.items()} if isinstance(value, dict) else {}


def listed(value: object) -> list[object]:
    return list(value) if isinstance(value, list) else []


def word(value: object) -> str:
    """A text or number; "" for anything else, and for a template such as {{ vault_password }}."""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return ""
    return "" if "{{" in str(value) else str(value).strip()
