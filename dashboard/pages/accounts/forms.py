"""The passkey forms of allauth with our labels."""

from allauth.mfa.webauthn.forms import AddWebAuthnForm, EditWebAuthnForm

from dashboard.text.names import check_name

NAME_HELP = "The name of this passkey in your list."


class PasskeyForm(AddWebAuthnForm):  # type: ignore[misc]  # allauth has no types
    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        alone = self.fields["passwordless"]
        alone.label = "Log in with this passkey alone"
        alone.help_text = "Without name and password. Otherwise you use it after the password."
        alone.initial = True
        self.fields["name"].help_text = NAME_HELP
        self.fields["name"].validators.append(check_name)


class PasskeyNameForm(EditWebAuthnForm):  # type: ignore[misc]  # allauth has no types
    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].help_text = NAME_HELP
        self.fields["name"].validators.append(check_name)
