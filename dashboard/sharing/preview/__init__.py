"""The picture that messengers show beside a link: the finding's sentence and its chart, drawn on the server from the
same figures as the page, since whoever asks for it runs no scripts."""
