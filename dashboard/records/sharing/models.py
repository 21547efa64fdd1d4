"""Read-only links to a result, or to a comparison of measured points. Only the token's hash is stored."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone


class Links(models.QuerySet["ShareLink"]):
    def kept(self) -> "Links":
        """Without links of deleted experiments."""
        return self.filter(Q(experiment=None) | Q(experiment__deleted_at=None))

    def open(self) -> "Links":
        return self.filter(Q(expires_at=None) | Q(expires_at__gt=timezone.now()), revoked_at=None)

    def showing(self, experiment: models.Model) -> "Links":
        """Links that open this experiment's result, or points of it in a comparison."""
        compared = ShareLink.compared.through.objects.filter(experiment_id=experiment.pk).values("sharelink_id")
        return self.filter(Q(experiment=experiment.pk) | Q(pk__in=compared))


class ShareLink(models.Model):
    """Opens a result (`experiment`) or a comparison: `comparison` is the query of the compare page, `compared` are the
    experiments of its points."""

    experiment = models.ForeignKey("experiments.Experiment", null=True, on_delete=models.CASCADE, related_name="links")
    comparison = models.TextField(blank=True, default="")
    compared = models.ManyToManyField("experiments.Experiment", related_name="comparison_links")
    token_hash = models.CharField(max_length=64, unique=True)  # SHA-256, hex
    note = models.CharField(max_length=200, blank=True)
    embeddable = models.BooleanField(default=False)  # other sites may frame single charts
    created_at = models.DateTimeField(default=timezone.now)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    used_at = models.DateTimeField(null=True)  # the last counted view or embed
    views = models.PositiveIntegerField(default=0)  # the rule: dashboard.pages.sharing.opened
    embeds = models.PositiveIntegerField(default=0)

    objects = Links.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                name="a_link_opens_one_thing",
                condition=Q(experiment__isnull=False, comparison="") | Q(experiment=None) & ~Q(comparison=""),
            )
        ]

    def __str__(self) -> str:
        if self.experiment:
            return self.experiment.name
        return f"comparison of {', '.join(one.name for one in self.compared.all()) or 'deleted experiments'}"

    @property
    def state(self) -> str:
        if self.revoked_at:
            return "revoked"
        return "expired" if self.expires_at and self.expires_at <= timezone.now() else "open"

    @property
    def is_open(self) -> bool:
        return self.state == "open"
