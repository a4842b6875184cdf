from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("competition", "0011_breaks")]

    operations = [
        migrations.AddField(
            model_name="user",
            name="terms_sha256",
            field=models.CharField(blank=True, max_length=64),
        ),
        migrations.AddField(
            model_name="user",
            name="terms_at",
            field=models.DateTimeField(null=True),
        ),
    ]
